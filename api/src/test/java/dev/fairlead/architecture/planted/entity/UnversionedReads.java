package dev.fairlead.architecture.planted.entity;

import java.util.List;

interface UnversionedReads extends Repository<Unversioned, Long> {
  List<Unversioned> readsTheRow();
}
