package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the page; with {@code -Dfairlead.update=true} the test writes it. */
@Tag("generated-docs")
class PermissionDocsTest {
  private static final Path PAGE =
      Path.of(System.getProperty("fairlead.root", "..")).resolve("docs/reference/permissions.md");
  private static final String HEAD =
      """
      # Permissions

      For tenant administrators and operators. Generated from `domain/src/main/resources/permissions.csv` by `make docs`;
      do not edit. That file decides which role may call an operation: an operation without a row is refused to all.

      `yes` allows an operation on all objects in the role's scope, `own` on objects that the caller created, and `-` refuses it.
      The first three roles count in every tenant. Roles of a tenant count in all its projects. Roles of a project count in
      that project. Lists of jobs and events, counts of jobs, and reports of use and waits cover the projects where the caller has
      a role. Other requests that concern several projects must name one.
      For a project or job that the caller cannot see, the response is 404, and for one that the caller can see but not change, 403.

      Without `FAIRLEAD_BOOTSTRAP_TOKEN` each local caller is `admin`, as is the bearer of that token.

      """;

  private static String text() {
    StringBuilder text = new StringBuilder(HEAD);
    text.append(line("operation", Stream.of(Role.values()).map(Role::wire).toList()));
    text.append("| --- |").append(" --- |".repeat(Role.values().length)).append('\n');
    for (String operation : PermissionMatrix.CURRENT.operations()) {
      text.append(
          line(
              "`" + operation + "`",
              Stream.of(Role.values()).map(r -> cell(operation, r)).toList()));
    }
    return text.toString();
  }

  private static String cell(String operation, Role role) {
    Grant grant = PermissionMatrix.CURRENT.grant(operation, List.of(role));
    return grant == Grant.NO ? "-" : grant.wire();
  }

  private static String line(String first, List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| " + first + " | ", " |\n"));
  }

  @Test
  void committedPageMatchesTheMatrix() throws IOException {
    if (Boolean.getBoolean("fairlead.update")) {
      Files.writeString(PAGE, text());
    }

    assertThat(Files.readString(PAGE))
        .as("docs/reference/permissions.md is out of date: run `make docs` and commit it")
        .isEqualTo(text());
  }
}
