package dev.fairlead.architecture.planted.entity;

import java.util.List;

/** Breaks no rule: its rows have a version. */
interface VersionedReads extends Repository<Thing, Long> {
  List<Thing> readsTheRow();
}
