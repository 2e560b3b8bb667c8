package dev.fairlead.verify.load.kueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class KueuePeerTest {
  private static Properties result() {
    Properties result = new Properties();
    result.put("wall", "6244");
    result.put("cpu", "871");
    result.put("all", "11362");
    result.put("kib", "79044");
    result.put("small", "1587");
    result.put("medium", "903");
    result.put("large", "350");
    return result;
  }

  /** Fails when a figure of the script has another unit or is that of another key. */
  @Test
  void figuresAreThoseOfTheScript() {
    KueuePeer peer = KueuePeer.of(result());

    assertThat(peer)
        .isEqualTo(
            new KueuePeer(
                6.244, new KueueRun.Waits(1.587, 0.903, 0.35), 871, 11_362, 79_044 / 1024.0));
  }

  /** Fails when a missing figure counts as zero, which would look like a result. */
  @Test
  void missingFigureIsNamed() {
    Properties result = result();
    result.remove("all");

    assertThatThrownBy(() -> KueuePeer.of(result)).hasMessageContaining("no all");
  }
}
