//! Borders and names of countries and of their regions, and projections onto the canvas.
//!
//! `packaging/convert_maps.mjs` makes the files in `assets/maps` from packages with public data.

pub mod borders;
mod clip;
pub mod continents;
mod country_set;
pub mod map_view;
pub mod names;
pub mod place_territory;
mod projection;
mod region_names;
mod simplify;
pub mod territory;
