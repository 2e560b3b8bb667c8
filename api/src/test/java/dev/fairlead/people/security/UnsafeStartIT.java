package dev.fairlead.people.security;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.e2e.FairleadStart;
import org.junit.jupiter.api.Test;

/** There is no database here: the refusal comes before any access to one. */
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
