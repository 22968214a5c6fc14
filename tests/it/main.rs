//! One test binary: the real program over real HTTP, and the shape of its source.

mod rows;
mod crash;
mod durability;
mod upgrade;
