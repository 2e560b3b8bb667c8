package dev.fairlead.architecture.planted.entity;

/** Breaks no rule: its rows have no version. */
interface UnversionedRepository extends Repository<Unversioned, Long> {
  @Modifying
  @Query("delete from Unversioned u where u.name = :name")
  int removes();
}
