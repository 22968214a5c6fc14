//! From data to picture: pure, and imports nothing else of ours.
