"""Training: objectives, one a file, and the loop they share."""
