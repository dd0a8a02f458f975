// A verifier behind specsim's wire protocol, in plain text since Rust's library has no JSON.
// Build it: rustc -O engine.rs     Judge it: specsim check ./engine
use std::io::stdin;

fn draw(weights: &[f64], coin: f64) -> usize {
    let (mut sum, total) = (0.0, weights.iter().fold(0.0, |sum, w| sum + w));
    weights.iter().position(|w| { sum += w; sum > coin * total }).expect("nothing to draw from")
}

fn verify(p: &[Vec<f64>], q: &[Vec<f64>], tokens: &[usize], accept: &[f64], sample: &[f64]) -> Vec<usize> {
    for (i, &x) in tokens.iter().enumerate() {
        if accept[i] * q[i][x] >= p[i][x] {
            let left: Vec<f64> = p[i].iter().zip(&q[i]).map(|(a, b)| (a - b).max(0.0)).collect();
            let row = if left.iter().any(|&w| w > 0.0) { &left } else { &p[i] };
            return [&tokens[..i], &[draw(row, sample[i])]].concat();
        }
    }
    [tokens, &[draw(&p[tokens.len()], sample[tokens.len()])]].concat()
}

fn main() {
    let mut lines = stdin().lines().map(|line| line.expect("no line"));
    lines.next().expect("no start");
    println!("text protocol=1 name=mine version=0.1 language=rust verify=coins");
    for line in lines {
        let mut words = line.split(' '); // run SEQ verify coins CASES, then each case
        let seq = words.nth(1).expect("no seq");
        let mut numbers = words.skip(2).map(|word| word.parse::<f64>().expect("no number"));
        let mut row = |n: usize| numbers.by_ref().take(n).collect::<Vec<f64>>();
        let mut answer = format!("blocks {seq}");
        for _ in 0..row(1)[0] as usize {
            let (n, v) = (row(1)[0] as usize, row(1)[0] as usize);
            let p: Vec<_> = (0..=n).map(|_| row(v)).collect();
            let q: Vec<_> = (0..n).map(|_| row(v)).collect();
            let tokens: Vec<_> = row(n).iter().map(|&x| x as usize).collect();
            for _ in 0..row(1)[0] as usize {
                let block = verify(&p, &q, &tokens, &row(n), &row(n + 1));
                let tokens = block.iter().map(|x| format!(" {x}")).collect::<String>();
                answer += &format!(" {}{tokens}", block.len());
            }
        }
        println!("{answer}");
    }
}
