// A verifier behind specsim's wire protocol, in plain text since C++'s library has no JSON.
// Build it: g++ -O2 -o engine engine.cpp     Judge it: specsim check ./engine
#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>
using Row = std::vector<double>;
using Tokens = std::vector<int>;

int draw(const Row& weights, double coin) {
    double sum = 0, total = std::accumulate(weights.begin(), weights.end(), 0.0);
    auto found = std::find_if(weights.begin(), weights.end(), [&](double w) { return (sum += w) > coin * total; });
    return int(found - weights.begin());
}

Tokens verify(const std::vector<Row>& p, const std::vector<Row>& q, const Tokens& tokens, const Row& accept, const Row& sample) {
    Tokens block;
    for (size_t i = 0; i < tokens.size(); block.push_back(tokens[i++])) {
        if (accept[i] * q[i][tokens[i]] < p[i][tokens[i]]) continue;
        Row left;
        for (size_t y = 0; y < p[i].size(); y++) left.push_back(std::max(p[i][y] - q[i][y], 0.0));
        bool empty = std::all_of(left.begin(), left.end(), [](double w) { return w == 0; });
        block.push_back(draw(empty ? p[i] : left, sample[i]));
        return block;
    }
    block.push_back(draw(p.back(), sample.back()));
    return block;
}

int main() {
    std::string word, seq, op, mode;
    std::ios::sync_with_stdio(false);
    std::getline(std::cin, word);  // start
    std::cout << "text protocol=1 name=mine version=0.1 language=c++ verify=coins" << std::endl;
    auto number = [] { std::string word; std::cin >> word; return std::stod(word); };
    auto row = [&](size_t n) { Row made(n); for (double& x : made) x = number(); return made; };
    while (std::cin >> word >> seq >> op >> mode) {  // run SEQ verify coins CASES, then each case
        std::cout << "blocks " << seq;
        for (int cases = int(number()); cases > 0; cases--) {
            size_t n = size_t(number()), vocab = size_t(number());
            std::vector<Row> p(n + 1), q(n);
            for (Row& each : p) each = row(vocab);
            for (Row& each : q) each = row(vocab);
            Row drafted = row(n);
            Tokens tokens(drafted.begin(), drafted.end());
            for (int blocks = int(number()); blocks > 0; blocks--) {
                Row accept = row(n), sample = row(n + 1);
                Tokens block = verify(p, q, tokens, accept, sample);
                std::cout << ' ' << block.size();
                for (int token : block) std::cout << ' ' << token;
            }
        }
        std::cout << std::endl;
    }
}
