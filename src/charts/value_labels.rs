//! Counts values that a chart draws but does not print, although labels are on.

use crate::Scene;
use crate::format::Omission;

/// Numbers of labeled and unlabeled values of a chart whose labels are on.
///
/// The note about values without a label follows one rule in all kinds, that of a printed chart in a
/// newspaper: readers must be able to read each value somewhere, or be told that they cannot.
///
/// - If labels are switched off, the caller counts nothing, because the author decided so.
/// - An axis with ticks replaces labels. If it is drawn and no value has a label, there is no note. This
///   also holds for columns, bars and box plots, which have labels on all marks or none. With some labels,
///   readers would take the others for forgotten, so that the note counts them. Marks that end at their
///   value on the axis do not count even then.
/// - Colors and areas replace no label, because readers cannot read numbers from them. The cells of a heat
///   map therefore count.
/// - A value of zero does not count, because a mark without length has no place for a label.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueLabelCount {
    labeled: usize,
    unlabeled: usize,
}

impl ValueLabelCount {
    /// Counts a drawn value with or without a label. Ignores zero.
    pub(crate) fn add(&mut self, value: f64, is_labeled: bool) {
        self.labeled += usize::from(is_labeled);
        self.unlabeled += usize::from(!is_labeled && value != 0.0);
    }

    /// Adds the number of unlabeled values to the omissions of the scene, unless an axis with ticks
    /// replaces all labels.
    pub(crate) fn report(self, has_axis: bool, scene: &mut Scene) {
        if self.labeled > 0 || !has_axis {
            scene.omit(Omission::Value, self.unlabeled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_replaces_all_labels_but_not_some() {
        let check = |labels: &[bool], has_axis: bool, expected: usize| {
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            let mut counts = ValueLabelCount::default();
            labels.iter().for_each(|is_labeled| counts.add(5.0, *is_labeled));
            counts.add(0.0, false);
            counts.report(has_axis, &mut scene);
            let stated: usize = scene.omissions.iter().map(|(_, count)| count).sum();
            assert_eq!(stated, expected, "{labels:?} {has_axis}");
        };
        check(&[true, true], false, 0);
        check(&[true, false], false, 1);
        check(&[true, false], true, 1);
        check(&[false, false], false, 2);
        check(&[false, false], true, 0);
    }
}
