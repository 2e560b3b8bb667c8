package dev.fairlead.fleet.cluster.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.keyring.Secret;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlurmTokenTest {
  private static Secret token(String claims) {
    byte[] bytes = claims.getBytes(StandardCharsets.UTF_8);
    return new Secret("h." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes) + ".s");
  }

  @Test
  void userOfATokenIsReadFromTheClaimSun() {
    assertThat(Connection.Slurm.user(token("{\"exp\":1796081192,\"sun\":\"fairlead\"}")))
        .contains("fairlead");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "abc", "a.b", "a.!!.c", "a.b.c.d"})
  void invalidTokenHasNoUser(String text) {
    assertThat(Connection.Slurm.user(new Secret(text))).isEmpty();
  }

  /** Fails when a header is refused later with a message that contains the token. */
  @Test
  void tokenOrUserInvalidInAHeaderIsRejected() {
    Secret good = token("{\"sun\":\"fairlead\"}");

    assertThat(Connection.Slurm.user(new Secret(good.reveal() + "\n"))).isEmpty();
    assertThat(Connection.Slurm.user(new Secret(good.reveal() + "\u00e9"))).isEmpty();
    assertThat(Connection.Slurm.user(token("{\"sun\":\"fair\nlead\"}"))).isEmpty();
  }

  @Test
  void tokenWithoutTheClaimHasNoUser() {
    assertThat(Connection.Slurm.user(token("{\"sub\":\"fairlead\"}"))).isEmpty();
  }
}
