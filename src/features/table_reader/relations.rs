//! Relations of a part of a workbook to other parts (ECMA-376, part 2).

use super::limits::body_error;
use super::xml_reader::XmlNode;
use super::xml_reader::XmlReader;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// Maximum number of relations of a part.
const MAX_RELATIONS: usize = 2000;

/// The relations of one part.
pub(super) struct Relations(Vec<Relation>);

struct Relation {
    id: String,
    /// Last segment of the type, such as `worksheet`.
    kind: String,
    /// Path of the other part.
    path: String,
}

impl Relations {
    /// Reads the relations of the part with the path `path`, or those of the whole file for the empty
    /// path. Returns an empty list if the file has no list of relations for it.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the list is damaged or too long.
    pub fn read(archive: &ZipArchive<'_>, path: &str) -> Result<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut relations = Vec::new();
        let list = format!("{folder}/_rels/{name}.rels");
        let Some(part) = archive.open_part(&list)? else { return Ok(Self(relations)) };
        let mut reader = XmlReader::new(part);
        loop {
            match reader.next()? {
                XmlNode::Start(element) if element.name() == "Relationship" => {
                    let attribute = |name| element.attribute(name).unwrap_or_default();
                    if relations.len() == MAX_RELATIONS {
                        return Err(body_error(format!("has more than {MAX_RELATIONS} relations")));
                    }
                    relations.push(Relation {
                        id: attribute("Id").into_owned(),
                        kind: attribute("Type").rsplit('/').next().unwrap_or_default().to_owned(),
                        path: resolve(folder, &attribute("Target")),
                    });
                }
                XmlNode::Eof => return Ok(Self(relations)),
                _ => {}
            }
        }
    }

    /// Returns the path of the first related part with a type such as `worksheet`. None if there is
    /// none.
    pub fn find_type(&self, kind: &str) -> Option<&str> {
        self.0.iter().find(|relation| relation.kind == kind).map(|relation| &*relation.path)
    }

    /// Returns the path of the first related part that has both the id and the type `kind`. None if
    /// there is no such part.
    pub fn find_id(&self, id: &str, kind: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|relation| relation.id == id && relation.kind == kind);
        found.next().map(|relation| &*relation.path)
    }
}

/// Resolves a target against `folder`. A target with a slash at the start is absolute. Returns the path
/// without this slash. Removes `.` and empty segments, and ignores `..` above the root.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in target.split('/') {
        match segment {
            "." | "" => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_to_the_folder_of_the_part() {
        assert_eq!(resolve("xl", "worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(resolve("xl", "/xl/styles.xml"), "xl/styles.xml");
        assert_eq!(resolve("xl/a", ".././b.xml"), "xl/b.xml");
        assert_eq!(resolve("", "../../x.xml"), "x.xml");
    }
}
