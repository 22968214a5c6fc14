//! Changes signed SAML responses at random and verifies them. Fails if a changed response is accepted
//! with another result than that of an honest response.
//!
//! `cargo run --release --example saml_mutants -- [COUNT] [SEED]` runs 1,000,000 changes with the seed
//! 1 by default, and exits with code 1 on a finding, which it prints.

#[path = "../tests/it/sso_protocol/mutation.rs"]
mod mutation;

use std::process::ExitCode;
use std::time::Instant;

use mutation::Corpus;
use mutation::Random;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Ok(count), Ok(seed)) =
        (arguments.next().unwrap_or(Ok(1_000_000)), arguments.next().unwrap_or(Ok(1)))
    else {
        eprintln!("usage: saml_mutants [COUNT] [SEED]");
        return ExitCode::from(2);
    };
    let corpus = Corpus::load();
    let (start, mut accepted) = (Instant::now(), 0_u64);
    for number in 0..count {
        // Each change has its own generator, so that a finding can be repeated alone.
        let mut random = Random::new(seed.wrapping_mul(1 << 32).wrapping_add(number));
        match corpus.check(&corpus.mutate(&mut random)) {
            Ok(is_accepted) => accepted += u64::from(is_accepted),
            Err(finding) => {
                println!("change {number} with seed {seed}: {finding}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{count} changed responses, {accepted} accepted with an honest result, {:.1} s",
        start.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}
