//! Index of the names and codes of regions.

/// Comparable names and codes of regions. One text and one list, because maps of strings take an
/// allocation and free places for each name.
#[derive(Default)]
pub struct RegionNames {
    /// All names, one after the other.
    text: String,
    /// Entries ascending by name, and for each name in the order in which they were added.
    entries: Vec<RegionName>,
}

/// A comparable name or code of a region.
struct RegionName {
    /// Start and end of the name in the text of all names, in bytes.
    start: u32,
    end: u32,
    /// Index of the region.
    region: u32,
}

impl RegionNames {
    /// Adds a name of a region. [`Self::sort`] must follow before it is found.
    pub fn add(&mut self, name: &str, region: usize) {
        let start = self.text.len() as u32;
        self.text.push_str(name);
        self.entries.push(RegionName { start, end: self.text.len() as u32, region: region as u32 });
    }

    /// Orders the entries by name. Those of the same name keep their order.
    pub fn sort(&mut self) {
        let Self { text, entries } = self;
        entries.sort_by(|a, b| name_in(text, a).cmp(name_in(text, b)));
        entries.shrink_to_fit();
        text.shrink_to_fit();
    }

    /// Iterates over the indices of the regions that have exactly this name, in the order in which they
    /// were added. The same index can occur several times.
    pub fn find<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let first = self.entries.partition_point(|entry| name_in(&self.text, entry) < name);
        let rest = self.entries.get(first..).unwrap_or_default().iter();
        let found = rest.take_while(move |entry| name_in(&self.text, entry) == name);
        found.map(|entry| entry.region as usize)
    }
}

/// Returns the name of an entry in the text of all names.
fn name_in<'a>(text: &'a str, entry: &RegionName) -> &'a str {
    text.get(entry.start as usize..entry.end as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_of_a_name_are_found_in_the_order_in_which_they_were_added() {
        let mut names = RegionNames::default();
        for (region, name) in
            ["limburg", "by", "limburg", "limb", "limburger", "limburg"].iter().enumerate()
        {
            names.add(name, region);
        }
        names.sort();
        assert!(names.find("limburg").eq([0, 2, 5]));
        assert!(names.find("limb").eq([3]));
        assert_eq!(names.find("limburgers").next(), None);
        assert_eq!(names.find("").next(), None);
    }
}
