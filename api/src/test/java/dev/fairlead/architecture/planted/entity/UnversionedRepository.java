package dev.fairlead.architecture.planted.entity;

interface UnversionedRepository extends Repository<Unversioned, Long> {
  @Query("update versioned Unversioned u set u.name = :name where u.version = :version")
  int changesWhatHasNoVersion();
}
