"""An engine judged case by case, as tests of pytest."""
