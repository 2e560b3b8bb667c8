package dev.fairlead.kernel.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.mock.web.MockHttpServletRequest;

class FollowingTest {
  private final MockHttpServletRequest request = new MockHttpServletRequest();
  private final Following following = new Following(request);

  private static boolean away() {
    throw new DataAccessResourceFailureException("the database is away");
  }

  private Following.Next look(BooleanSupplier standing) {
    StreamReauthorization.set(request, standing);
    return following.look();
  }

  /**
   * Fails when a short failure of the database ends all streams, or a stream sends during the
   * failure.
   */
  @Test
  void streamPausesDuringADatabaseOutageAndResumes() {
    for (int failure = 0; failure < Following.MOST_UNKNOWN; failure++) {
      assertThat(look(FollowingTest::away)).isEqualTo(Following.Next.HOLD);
    }
    assertThat(look(() -> true)).isEqualTo(Following.Next.SEND);
    assertThat(look(FollowingTest::away)).isEqualTo(Following.Next.HOLD);
  }

  /** Fails when a request whose caller cannot be looked up hangs forever. */
  @Test
  void streamEndsWhenTheDatabaseStaysUnavailable() {
    for (int failure = 0; failure < Following.MOST_UNKNOWN; failure++) {
      look(FollowingTest::away);
    }
    assertThat(look(FollowingTest::away)).isEqualTo(Following.Next.END);
  }

  @Test
  void streamEndsWithItsAccessAndOnAnError() {
    assertThat(look(() -> false)).isEqualTo(Following.Next.END);
    assertThat(
            look(() -> {
              throw new IllegalStateException("a mistake");
            }))
        .isEqualTo(Following.Next.END);
  }
}
