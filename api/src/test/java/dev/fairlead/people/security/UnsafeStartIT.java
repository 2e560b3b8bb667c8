package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.FairleadStart;
import org.junit.jupiter.api.Test;

/** No database is needed, because the refusal precedes any access. */
class UnsafeStartIT {
  @Test
  void serviceDoesNotStartOnAPublicAddressWithoutAToken() {
    // fails (with the database's error, a minute later) when the check runs as an ordinary bean
    assertThatThrownBy(() ->
            FairleadStart.application()
                .run(
                    "--fairlead.bind=0.0.0.0",
                    "--spring.datasource.url=jdbc:postgresql://127.0.0.1:1/none"))
        .isInstanceOf(UnsafeEntrance.class);
  }
}
