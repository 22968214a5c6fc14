//! Tests of the verification of SAML responses, without a server.
//!
//! `sso_protocol/responses.py` wrote the responses in `sso_protocol/fixtures`.

mod canonical;
mod certificates;
mod fields;
mod limits;
mod mutation;
mod providers;
mod signed_info;
mod structure;
mod test_idp;

use std::thread;

use mutation::Corpus;
use mutation::Random;

/// Number of changed responses. The example `saml_mutants` checks a million.
const MUTANTS: u64 = 20_000;
/// Number of threads that share the work.
const THREADS: u64 = 4;

#[test]
fn changed_responses_never_give_another_result() {
    let corpus = Corpus::load();
    let check_part = &|first: u64| -> u64 {
        let mut accepted = 0;
        for number in (first..MUTANTS).step_by(THREADS as usize) {
            match corpus.check(&corpus.mutate(&mut Random::new(number))) {
                Ok(is_accepted) => accepted += u64::from(is_accepted),
                Err(finding) => panic!("change {number}: {finding}"),
            }
        }
        accepted
    };
    let accepted: u64 = thread::scope(|scope| {
        let parts: Vec<_> =
            (0..THREADS).map(|first| scope.spawn(move || check_part(first))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    });
    // Comments and changes outside of the signed part are harmless. Without them, the changes would
    // all be too coarse.
    assert!((MUTANTS / 100..MUTANTS / 4).contains(&accepted), "{accepted} were accepted");
}
