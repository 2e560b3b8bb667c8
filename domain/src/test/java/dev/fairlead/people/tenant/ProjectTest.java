package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProjectTest {
  private static final UUID HERE = new UUID(1, 1);
  private static final UUID THERE = new UUID(2, 2);
  private static final ProjectId FIRST = new ProjectId(new UUID(3, 3));
  private static final ProjectId SECOND = new ProjectId(new UUID(4, 4));

  /** Fails when the installation, the project's id or a name is left out. */
  @Test
  void namespacesOfProjectsAreUnique() {
    assertThat(
            Stream.of(
                Project.newNamespace(HERE, "acme", "nlp", FIRST),
                Project.newNamespace(THERE, "acme", "nlp", FIRST),
                Project.newNamespace(HERE, "acme", "nlp", SECOND),
                Project.newNamespace(HERE, "other", "nlp", FIRST),
                Project.newNamespace(HERE, "acme-nlp", "x", FIRST),
                Project.newNamespace(HERE, "acme", "nlp-x", SECOND)))
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("fairlead-[a-z0-9-]+-[0-9a-f]{10}"));
    assertThat(Project.newNamespace(HERE, "acme", "nlp", FIRST)).startsWith("fairlead-acme-nlp-");
  }

  /** Fails when names of 63 characters give a namespace that clusters refuse. */
  @Test
  void truncatedNamesStayDistinct() {
    String tenant = "t".repeat(63);
    String first = Project.newNamespace(HERE, tenant, "p".repeat(63), FIRST);
    String second = Project.newNamespace(HERE, tenant, "p".repeat(63), SECOND);

    assertThat(first).hasSize(63).isNotEqualTo(second);
    assertThat(second).hasSize(63);
  }
}
