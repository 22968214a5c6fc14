//! Colour scales that are even to the eye: from pale to strong, or from a neutral middle both ways.

use crate::Chart;
use crate::color::Color;
use crate::frame::Look;

/// A colour for each value.
pub struct Shades {
    /// Values at the ends of the scale.
    pub ends: (f64, f64),
    /// The neutral value; none when the scale runs one way.
    middle: Option<f64>,
    up: Ramp,
    down: Ramp,
}

/// A way from a pale colour through the palette's own to a strong one.
struct Ramp {
    pale: Color,
    own: Color,
    strong: Color,
    /// Share of the way at which the palette's own colour stands, so that lightness runs evenly.
    at: f64,
}

impl Shades {
    /// A scale for data between `low` and `high`. `axis.min` and `axis.max` move its ends.
    pub fn new(chart: &Chart, look: &Look, (low, high): (f64, f64)) -> Shades {
        let from = chart.axis_end("min").unwrap_or(low);
        let to = chart.axis_end("max").unwrap_or(high);
        let ends = if from < to { (from, to) } else { (low, high) };
        let middle = chart.number("midpoint").unwrap_or(0.0);
        let inside = ends.0 < middle && middle < ends.1;
        let both_ways = match chart.word("scale") {
            "sequential" => false,
            "diverging" => true,
            _ => inside,
        };
        let paper = look.background;
        let start = |color: Color| paper.mix(if both_ways { look.muted } else { color }, 0.11);
        let (up, down) = (chart.color(0), chart.theme.highlight);
        Shades {
            ends,
            middle: both_ways.then_some(middle),
            up: Ramp::new(start(up), up, paper),
            down: Ramp::new(start(down), down, paper),
        }
    }

    /// The colour of a value; those beyond the ends take the colour of the end.
    pub fn at(&self, value: f64) -> Color {
        let (low, high) = self.ends;
        let Some(middle) = self.middle else {
            let span = high - low;
            return self.up.at(if span > 0.0 { (value - low) / span } else { 0.6 });
        };
        let reach = (high - middle).max(middle - low);
        let share = if reach > 0.0 { (value - middle).abs() / reach } else { 0.0 };
        if value < middle { self.down.at(share) } else { self.up.at(share) }
    }
}

impl Ramp {
    fn new(pale: Color, own: Color, paper: Color) -> Ramp {
        // Without any strength of its own, the far end takes that of dark (or light) ink.
        let strong = own.readable_on(paper, 7.5);
        let light = |it: Color| it.luminance().cbrt();
        let span = light(strong) - light(pale);
        let share = if span == 0.0 { 0.5 } else { (light(own) - light(pale)) / span };
        Ramp { pale, own, strong, at: share.clamp(0.1, 1.0) }
    }

    fn at(&self, share: f64) -> Color {
        let share = share.clamp(0.0, 1.0);
        if share < self.at {
            self.pale.mix(self.own, share / self.at)
        } else if self.at < 1.0 {
            self.own.mix(self.strong, (share - self.at) / (1.0 - self.at))
        } else {
            self.own
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::WHITE;

    #[test]
    fn a_scale_darkens_evenly_on_white() {
        let blue = Color::hex(0x3f90da);
        let ramp = Ramp::new(WHITE.mix(blue, 0.1), blue, WHITE);
        let light: Vec<f64> =
            (0..=10).map(|it| ramp.at(f64::from(it) / 10.0).luminance().cbrt()).collect();
        let steps: Vec<f64> = light.windows(2).map(|it| it[0] - it[1]).collect();
        let (least, most) =
            steps.iter().fold((1.0f64, 0.0f64), |(a, b), it| (a.min(*it), b.max(*it)));
        assert!(least > 0.0 && most < least * 1.8, "{steps:?}");
    }
}
