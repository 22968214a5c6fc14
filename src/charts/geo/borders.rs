//! Borders of the countries of the world and of the regions of single countries.
//!
//! A file of borders is a topology: lines (arcs) that neighbors share, and areas with rings that
//! refer to them. Numbers are variable-length integers of seven bits per byte, the lowest first.
//! Signed ones are zigzag-encoded. The order is: scale of longitude and latitude, origin of both,
//! all four in units of 1e-7 degrees; arcs, each with its number of points and the differences
//! between them; areas, each with its code, polygons, rings, and the indices of their arcs. A
//! negative index `i` means the arc `-i - 1` backwards.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;
use kurbo::{Point, Rect, Vec2};

static WORLD: &[u8] = include_bytes!("../../../assets/maps/world.bin");
static REGIONS: &[u8] = include_bytes!("../../../assets/maps/regions.bin");

/// Areas with shared borders.
#[derive(Debug, Default)]
pub struct Borders {
    /// Lines between areas, and coasts. x is the longitude and y the latitude, in degrees.
    pub arcs: Vec<Vec<Point>>,
    /// Areas, ascending by code.
    pub areas: Vec<Area>,
}

/// A country or region.
#[derive(Debug)]
pub struct Area {
    /// Code of ISO 3166, such as `DE` or `DE-BY`.
    pub code: String,
    /// Polygons, each with an outer ring and holes.
    pub polygons: Vec<Vec<Ring>>,
    /// Bounding box of all polygons, in degrees. Empty without points.
    bounds: Rect,
}

/// Arcs that form a closed line. A negative index `i` means the arc `-i - 1` backwards.
pub type Ring = Vec<i64>;

/// Returns the countries of the world. Longitudes are from -169 to 191 degrees, so that the map is
/// cut in the Bering Strait.
pub fn world() -> &'static Borders {
    static BORDERS: OnceLock<Borders> = OnceLock::new();
    BORDERS.get_or_init(|| decode(WORLD))
}

/// Returns the regions of a country with a code such as `DE`. None if they are not known.
pub fn regions(country: &str) -> Option<&'static Borders> {
    static SECTIONS: OnceLock<Vec<Section>> = OnceLock::new();
    let sections = SECTIONS.get_or_init(|| {
        let sections = read_sections().unwrap_or_default();
        let to_section = |(code, bytes)| Section { code, bytes, borders: OnceLock::new() };
        sections.into_iter().map(to_section).collect()
    });
    let section = sections.iter().find(|section| section.code == country)?;
    Some(section.borders.get_or_init(|| decode(section.bytes)))
}

/// A country with regions, decoded on first use.
struct Section {
    code: String,
    bytes: &'static [u8],
    borders: OnceLock<Borders>,
}

/// Returns the codes of countries with regions and their compressed borders. None if the embedded
/// file is damaged.
fn read_sections() -> Option<Vec<(String, &'static [u8])>> {
    let mut reader = Reader { bytes: REGIONS };
    let count = reader.unsigned()?;
    let mut lengths = Vec::new();
    for _ in 0..count {
        lengths.push((reader.text()?, reader.unsigned()? as usize));
    }
    let mut rest = reader.bytes;
    let mut sections = Vec::new();
    for (code, length) in lengths {
        let (section, after) = rest.split_at_checked(length)?;
        sections.push((code, section));
        rest = after;
    }
    Some(sections)
}

/// Decompresses and reads borders. Returns no areas if the bytes are damaged.
fn decode(compressed: &[u8]) -> Borders {
    let mut bytes = Vec::new();
    if ZlibDecoder::new(compressed).read_to_end(&mut bytes).is_err() {
        return Borders::default();
    }
    Reader { bytes: &bytes }.borders().unwrap_or_default()
}

/// Reads numbers from the start of a slice. Each function returns None at the end of the slice.
struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    /// Reads a variable-length integer of seven bits per byte, the lowest first. None at the end of
    /// the slice, or if the number has more than 64 bits.
    fn unsigned(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 127).checked_shl(shift)?;
            if byte & 128 == 0 {
                return Some(value);
            }
            shift += 7;
        }
    }

    /// Reads a zigzag-encoded signed integer of variable length.
    fn signed(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Reads a length in bytes and a text of UTF-8. None if the slice ends before, or for other
    /// bytes.
    fn text(&mut self) -> Option<String> {
        let length = self.unsigned()? as usize;
        let (text, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    /// Reads a count and as many entries with `read`. None if one of them cannot be read.
    fn list<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.unsigned()?;
        let mut entries: Vec<T> = (0..count).map(|_| read(self)).collect::<Option<_>>()?;
        // Kept as long as the process runs.
        entries.shrink_to_fit();
        Some(entries)
    }

    /// Reads arcs and areas in the format that the header of this file describes. None if the bytes
    /// end before.
    fn borders(&mut self) -> Option<Borders> {
        let mut degrees = || Some(self.signed()? as f64 * 1e-7);
        let (scale_x, scale_y) = (degrees()?, degrees()?);
        let (x, y) = (degrees()?, degrees()?);
        let arcs = self.list(|reader| {
            let steps = reader.list(|reader| Some((reader.signed()?, reader.signed()?)))?;
            let (mut column, mut row) = (0, 0);
            let points = steps.into_iter().map(|(right, up)| {
                column += right;
                row += up;
                Point::new(x + column as f64 * scale_x, y + row as f64 * scale_y)
            });
            Some(points.collect())
        })?;
        let areas = self.list(|reader| {
            let code = reader.text()?;
            let ring = |reader: &mut Self| reader.list(Reader::signed);
            let polygons = reader.list(|reader| reader.list(ring))?;
            let points = polygons.iter().flatten().flat_map(|ring| ring_points(ring, &arcs));
            let bounds = bounds(points).unwrap_or_default();
            Some(Area { code, polygons, bounds })
        })?;
        Some(Borders { arcs, areas })
    }
}

/// Returns the bounding box of points. None without points.
pub fn bounds(mut points: impl Iterator<Item = Point>) -> Option<Rect> {
    let first = points.next()?;
    Some(points.fold(Rect::from_points(first, first), |all, point| all.union_pt(point)))
}

impl Borders {
    /// Returns the area with exactly this code, such as `DE` or `DE-BY`. None for an unknown code.
    pub fn find(&self, code: &str) -> Option<&Area> {
        let index = self.areas.binary_search_by(|area| area.code.as_str().cmp(code)).ok()?;
        self.areas.get(index)
    }

    /// Returns the center of mass of the largest polygon of an area, in degrees, which may be
    /// outside the area. Ignores holes. None for an unknown code.
    pub fn center(&self, code: &str) -> Option<Point> {
        let outlines = self.find(code)?.polygons.iter().filter_map(|polygon| polygon.first());
        let centers = outlines.map(|ring| {
            let points: Vec<Point> = ring_points(ring, &self.arcs).collect();
            let origin = points.first().copied().unwrap_or_default();
            let (mut sum, mut weight) = (Vec2::ZERO, 0.0);
            for (a, b) in points.iter().zip(points.iter().skip(1)) {
                let cross = (*a - origin).cross(*b - origin);
                sum += ((*a - origin) + (*b - origin)) * (cross / 3.0);
                weight += cross;
            }
            let center = if weight == 0.0 { origin } else { origin + sum / weight };
            (weight.abs(), center)
        });
        centers.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, center)| center)
    }

    /// Returns the code of the area that contains a point in degrees. None outside all areas, such
    /// as in the sea.
    pub fn find_area_at(&self, point: Point) -> Option<&str> {
        let contains = |area: &&Area| {
            // The borders of most areas need not be followed.
            if !area.bounds.contains(point) {
                return false;
            }
            let rings = area.polygons.iter().flatten();
            // A hole is crossed like an outer ring.
            let crossings = rings.map(|ring| self.count_crossings(ring, point)).sum::<usize>();
            crossings % 2 == 1
        };
        self.areas.iter().find(contains).map(|area| area.code.as_str())
    }

    /// Returns how often a ring crosses the horizontal line from a point in degrees to the east.
    fn count_crossings(&self, ring: &[i64], point: Point) -> usize {
        let points = || ring_points(ring, &self.arcs);
        let crosses = |(a, b): &(Point, Point)| {
            (a.y > point.y) != (b.y > point.y)
                && a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x) > point.x
        };
        points().zip(points().skip(1)).filter(crosses).count()
    }
}

/// Returns the points of a ring of these arcs. The last point is the first one.
pub fn ring_points<'a>(
    ring: &'a [i64],
    arcs: &'a [Vec<Point>],
) -> impl Iterator<Item = Point> + 'a {
    ring.iter().enumerate().flat_map(move |(position, index)| {
        let is_backward = *index < 0;
        let index = if is_backward { -index - 1 } else { *index };
        let arc = arcs.get(index as usize).map_or(&[][..], Vec::as_slice);
        // An arc begins with the last point of the arc before it.
        let skipped = usize::from(position > 0);
        let count = arc.len();
        (skipped..count).filter_map(move |step| {
            arc.get(if is_backward { count - 1 - step } else { step }).copied()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area_bounds(borders: &Borders, code: &str) -> Rect {
        borders.find(code).unwrap().bounds
    }

    #[test]
    fn the_world_has_all_countries_in_their_places() {
        let world = world();
        assert!(world.areas.len() > 230, "{}", world.areas.len());
        let germany = area_bounds(world, "DE");
        assert!((germany.x0 - 5.85).abs() < 0.2 && (germany.y1 - 55.0).abs() < 0.2, "{germany:?}");
        let russia = area_bounds(world, "RU");
        assert!(russia.x0 > 19.0 && russia.x1 > 188.0 && russia.x1 < 191.5, "{russia:?}");
        assert!(area_bounds(world, "UA").y0 < 44.6, "Crimea");
        assert!(area_bounds(world, "CY").y1 > 35.6, "the north of Cyprus");
        assert!(area_bounds(world, "SO").y1 > 11.0, "the north of Somalia");
    }

    #[test]
    fn places_are_in_their_countries() {
        let at = |x: f64, y: f64| world().find_area_at(Point::new(x, y));
        assert_eq!(at(13.4, 52.5), Some("DE"));
        assert_eq!(at(28.0, -29.5), Some("LS"), "a hole of South Africa");
        assert_eq!(at(-30.0, 30.0), None);
        let center = world().center("FR").unwrap();
        assert_eq!(at(center.x, center.y), Some("FR"));
    }

    #[test]
    fn rings_are_closed() {
        for borders in [world(), regions("DE").unwrap(), regions("US").unwrap()] {
            for area in &borders.areas {
                for ring in area.polygons.iter().flatten() {
                    let points: Vec<Point> = ring_points(ring, &borders.arcs).collect();
                    assert!(points.len() > 3, "{}", area.code);
                    assert_eq!(points.first(), points.last(), "{}", area.code);
                }
            }
        }
    }

    #[test]
    fn countries_have_their_regions() {
        for (country, count) in
            [("DE", 16), ("FR", 13), ("ES", 19), ("IT", 20), ("GB", 12), ("US", 51)]
        {
            assert_eq!(regions(country).unwrap().areas.len(), count, "{country}");
        }
        assert!(regions("KE").is_none());
        assert!(area_bounds(regions("AT").unwrap(), "AT-9").x0 > 16.0, "Vienna is in the east");
    }

    #[test]
    fn islands_are_in_their_prefectures_and_distant_ones_do_not_make_maps_small() {
        let japan = regions("JP").unwrap();
        let at = |x: f64, y: f64| japan.find_area_at(Point::new(x, y));
        assert_eq!(at(129.45, 28.3), Some("JP-46"), "Amami Oshima");
        assert_eq!(at(128.6, 27.4), Some("JP-46"), "Okinoerabu");
        assert_eq!(at(128.0, 26.5), Some("JP-47"), "Okinawa");
        for (country, longest) in [("JP", 24.0), ("CL", 39.0), ("ZA", 18.0)] {
            let points = regions(country).unwrap().arcs.iter().flatten();
            let (low, high) = points.fold((f64::MAX, f64::MIN), |(low, high), point| {
                let length = if country == "CL" { point.y } else { point.x };
                (low.min(length), high.max(length))
            });
            assert!(high - low < longest, "{country} {low} {high}");
        }
    }

    #[test]
    fn damaged_bytes_give_no_areas() {
        assert!(decode(&WORLD[..1000]).areas.is_empty());
        assert!(decode(b"").areas.is_empty());
    }
}
