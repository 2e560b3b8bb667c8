package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The cost of explanations that a new scheduler stores again. */
class UnchangedClassesTest {
  private static PostgresInstallation stores;

  @BeforeAll
  static void open() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  private static String row(Job job) {
    return stores
        .jdbc()
        .sql("SELECT class_key || ' ' || xmin || ' ' || xmax FROM job_explanation WHERE job = :job")
        .param("job", job.id().value())
        .query(String.class)
        .single();
  }

  /** Fails when the insert locks the rows that exist: 100,000 waiting jobs are as many locks. */
  @Test
  void unchangedClassOfAJobIsNeitherWrittenNorLocked() {
    TestWorld world = TestWorld.in(stores);
    Job same = world.submit(Specs.job("same"));
    Job other = world.submit(Specs.job("other"));
    stores.explanations().put(Map.of(), Map.of(same.id(), "full", other.id(), "full"));
    String before = row(same);

    stores.explanations().put(Map.of(), Map.of(same.id(), "full", other.id(), "quota"));

    assertThat(row(same)).isEqualTo(before);
    assertThat(row(other)).startsWith("quota ");
  }
}
