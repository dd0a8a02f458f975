// A verifier behind specsim's wire protocol. Build it: go build engine.go
// Judge it: specsim check ./engine
package main

import (
	"encoding/json"
	"math"
	"os"
)

type object = map[string]any

func draw(weights []float64, coin float64) int {
	sum, total := 0.0, 0.0
	for _, w := range weights {
		total += w
	}
	for token, w := range weights {
		if sum += w; sum > coin*total {
			return token
		}
	}
	panic("nothing to draw from")
}

func verify(p, q [][]float64, tokens []int, accept, sample []float64) []int {
	for i, x := range tokens {
		if accept[i]*q[i][x] >= p[i][x] {
			left, sum := make([]float64, len(p[i])), 0.0
			for y := range left {
				left[y] = math.Max(p[i][y]-q[i][y], 0)
				sum += left[y]
			}
			if sum == 0 {
				left = p[i]
			}
			return append(append([]int{}, tokens[:i]...), draw(left, sample[i]))
		}
	}
	n := len(tokens)
	return append(append([]int{}, tokens...), draw(p[n], sample[n]))
}

func main() {
	lines, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked struct {
			Seq   int
			Cases []struct {
				P, Q, Accept, Sample [][]float64
				Tokens               []int
			}
		}
		if lines.Decode(&asked) != nil {
			return
		}
		blocks := [][]int{}
		for _, c := range asked.Cases {
			for i, accept := range c.Accept {
				blocks = append(blocks, verify(c.P, c.Q, c.Tokens, accept, c.Sample[i]))
			}
		}
		if asked.Seq > 0 {
			answers.Encode(object{"seq": asked.Seq, "blocks": blocks})
		} else {
			about := object{"name": "mine", "version": "0.1", "language": "go"}
			can := object{"verify": []string{"coins"}}
			answers.Encode(object{"protocol": 1, "engine": about, "operations": can})
		}
	}
}
