package dev.fairlead.work.job.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.integration.Embedded;
import dev.fairlead.integration.PostgresInstallation;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The supervisor finds attempts by {@code attempt.observed}, which the state generates. */
class ObservedAttemptsTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  /**
   * Fails when the generated column hides a state from its kind of request: the attempt would not
   * be started, stopped or cleared.
   */
  @ParameterizedTest
  @EnumSource
  void theDatabaseFindsTheRequestThatTheStateImplies(AttemptState state) {
    Attempt attempt = world.place(world.submit(Specs.job("attempt")));
    inState(attempt, state);

    assertThat(
            stores
                .jobs()
                .actionable(world.cluster().id(), new ActionRequest.Window(new TreeMap<>(), 100))
                .stream()
                .filter(request -> request.attempt().equals(attempt.id()))
                .map(ActionRequest::kind))
        .containsExactlyElementsOf(ActionRequest.Kind.of(state).stream().toList());
  }

  private void inState(Attempt attempt, AttemptState state) {
    int changed =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql("UPDATE attempt SET state = :state WHERE id = :id")
                    .param("state", state.name())
                    .param("id", attempt.id().value())
                    .update());
    assertThat(changed).isOne();
  }
}
