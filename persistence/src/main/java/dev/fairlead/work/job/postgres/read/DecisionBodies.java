package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.work.job.DecisionRecord;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/** Stored bodies of decisions: deflated documents. */
public final class DecisionBodies {
  private DecisionBodies() {}

  /** In base64. */
  public static String packed(DecisionRecord.Body body) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(packed)) {
      out.write(Json.write(body).getBytes(StandardCharsets.UTF_8));
    } catch (IOException never) {
      throw new UncheckedIOException(never);
    }
    return Base64.getEncoder().encodeToString(packed.toByteArray());
  }

  /** Never fails, so an unreadable row of another version does not hide other rows. */
  public static DecisionRecord.Body unpacked(DecisionRecord.Kind kind, byte[] packed) {
    try (InflaterInputStream in = new InflaterInputStream(new ByteArrayInputStream(packed))) {
      String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return switch (kind) {
        case PLACED -> Json.read(json, DecisionRecord.Placed.class);
        case WAITED -> Json.read(json, DecisionRecord.Waited.class);
        case UNREACHABLE, REACHABLE -> Json.read(json, DecisionRecord.Unreachable.class);
        case EVICTED, MOVED -> Json.read(json, DecisionRecord.Evicted.class);
      };
    } catch (IOException | RuntimeException broken) {
      return new DecisionRecord.Unreadable(kind);
    }
  }
}
