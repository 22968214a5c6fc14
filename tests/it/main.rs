//! One test binary: the real program over real HTTP, and the shape of its source.

mod accounts;
mod me;
mod orgs;
mod talk;
