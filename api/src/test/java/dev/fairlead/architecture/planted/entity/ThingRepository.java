package dev.fairlead.architecture.planted.entity;

import java.util.List;
import org.jspecify.annotations.Nullable;

interface ThingRepository extends Repository<Thing, Long> {
  Thing saves(Thing row);

  List<String> findByName(@Nullable String name);

  @Query("update versioned Thing t set t.name = :name where t.id = :id and t.version = :version")
  int changes();

  @Query("delete from Thing t where t.id = :id and t.version = :version")
  int removes();

  @Modifying
  int deleteByName(String name);

  @Query(value = "SELECT 1", nativeQuery = true)
  int hasSql();
}
