package dev.fairlead.work.workload.slurm;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.SafeHttps;
import dev.fairlead.kernel.egress.ServerUrl;
import dev.fairlead.work.workload.slurm.SlurmRest.Answer;
import dev.fairlead.work.workload.slurm.SlurmRest.Away;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/** Carries requests to slurmrestd by https. Thread-safe. */
final class SlurmHttps implements SlurmRest.Carrier {
  private static final int MOST_BYTES = 256 << 20;
  private static final int LONGEST_ERROR = 64 * 1024;

  private final Connection.Slurm connection;
  private final EgressPolicy egress;
  private final Duration most;

  /**
   * @param most maximum duration of a call
   */
  SlurmHttps(Connection.Slurm connection, EgressPolicy egress, Duration most) {
    this.connection = connection;
    this.egress = egress;
    this.most = most;
  }

  @Override
  public Answer call(String method, String path, byte @Nullable [] body) throws Away {
    long until = System.nanoTime() + most.toNanos();
    try {
      HttpsURLConnection call =
          SafeHttps.to(connection.server(), path, egress, connection.caData(), until);
      call.setRequestMethod(method);
      call.setRequestProperty("X-SLURM-USER-NAME", connection.user());
      call.setRequestProperty("X-SLURM-USER-TOKEN", connection.token().reveal());
      if (body != null) {
        call.setDoOutput(true);
        call.setRequestProperty("Content-Type", "application/json");
        try (OutputStream out = call.getOutputStream()) {
          out.write(body);
        }
      }
      int status = call.getResponseCode();
      return new Answer(status, status < SlurmRest.BAD ? whole(call) : beginning(call));
    } catch (IOException | GeneralSecurityException failed) {
      String why = failed.getMessage() == null ? failed.toString() : failed.getMessage();
      throw new Away(
          "slurmrestd does not answer: " + SafeHttps.brief(why, SlurmRest.LONGEST_MESSAGE));
    } catch (ServerUrl.Refused refused) {
      throw new Away("the server URL " + refused.getMessage());
    } catch (EgressPolicy.Refused refused) {
      throw new Away(String.valueOf(refused.getMessage()));
    }
  }

  private static String whole(HttpsURLConnection call) throws IOException {
    byte[] read = SafeHttps.body(call, MOST_BYTES, "the response has more than 256 MiB");
    return new String(read, StandardCharsets.UTF_8);
  }

  private static String beginning(HttpsURLConnection call) throws IOException {
    try (InputStream in = call.getErrorStream()) {
      return in == null ? "" : new String(in.readNBytes(LONGEST_ERROR), StandardCharsets.UTF_8);
    }
  }
}
