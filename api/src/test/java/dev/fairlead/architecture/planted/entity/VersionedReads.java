package dev.fairlead.architecture.planted.entity;

import java.util.List;

/** Breaks no rule: its rows have a version and no update query. */
interface VersionedReads extends Repository<Thing, Long> {
  List<Thing> readsTheRow();
}
