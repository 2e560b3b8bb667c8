package dev.fairlead.kernel.web;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.problem.Refusal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ids in paths. */
class ApiPathsTest {
  /** Fails when the prefix of an id is used as a noun: "There is no inc". */
  @ParameterizedTest
  @CsvSource({
    "INCIDENT, There is no incident with this id. Ids look like inc_01k...",
    "REPAIR_TASK, There is no repair task with this id. Ids look like rpt_01k...",
    "JOB, There is no job with this id. Ids look like job_01k..."
  })
  void invalidIdIsRejectedWithItsResourceName(IdKind kind, String message) {
    assertThatThrownBy(() -> ApiPaths.id(kind, "nope"))
        .isInstanceOf(Refusal.class)
        .hasMessage(message);
  }
}
