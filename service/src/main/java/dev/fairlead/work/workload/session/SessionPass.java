package dev.fairlead.work.workload.session;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Lets one browser reach the server of one job, sealed by HMAC-SHA256. It is not stored, so any
 * replica accepts it. It contains no credential of the service.
 *
 * @param id random, the same for all renewals
 * @param user name of the caller, for the audit
 * @param proof proof of the caller's access, checked by each later request
 * @param port port of the server in its member
 * @param page path and query of the first page, empty in a cookie
 * @param until end of its use
 * @param end latest time to which it can be renewed
 */
@RecordBuilder
public record SessionPass(
    String id,
    JobId job,
    TenantId tenant,
    String user,
    String proof,
    int port,
    String page,
    Instant until,
    Instant end) {
  /** Purpose of the key of a pass in a link. */
  public static final String LINK = "fairlead/session-link";

  /** Purpose of the key of a pass in a cookie. */
  public static final String COOKIE = "fairlead/session-cookie";

  private static final String MAC = "HmacSHA256";
  private static final String SEPARATOR = "\n";
  private static final int FIELDS = 9;

  /** Returns the pass without its page, valid until another time. */
  public SessionPass renewed(Instant later) {
    return SessionPassBuilder.builder(this)
        .page("")
        .until(later.isAfter(end) ? end : later)
        .build();
  }

  /** The pass as text of letters, digits, {@code -}, {@code _} and one dot. */
  public String text(byte[] key) {
    String fields =
        String.join(
            SEPARATOR,
            id,
            job.bare(),
            tenant.bare(),
            user,
            proof,
            Integer.toString(port),
            page,
            Long.toString(until.getEpochSecond()),
            Long.toString(end.getEpochSecond()));
    String body = encoded(bytes(fields));
    return body + "." + seal(body, key);
  }

  /** The pass of a text, empty for any text that was not created with the key. */
  public static Optional<SessionPass> read(String text, byte[] key) {
    int dot = text.indexOf('.');
    if (dot < 0
        || !MessageDigest.isEqual(
            bytes(seal(text.substring(0, dot), key)), bytes(text.substring(dot + 1)))) {
      return Optional.empty();
    }
    String[] fields =
        new String(Base64.getUrlDecoder().decode(text.substring(0, dot)), StandardCharsets.UTF_8)
            .split(SEPARATOR, -1);
    return fields.length == FIELDS ? Optional.of(of(fields)) : Optional.empty();
  }

  private static SessionPass of(String[] fields) {
    return SessionPassBuilder.builder()
        .id(fields[0])
        .job(new JobId(IdText.decode(fields[1]).orElseThrow()))
        .tenant(new TenantId(IdText.decode(fields[2]).orElseThrow()))
        .user(fields[3])
        .proof(fields[4])
        .port(Integer.parseInt(fields[5]))
        .page(fields[6])
        .until(Instant.ofEpochSecond(Long.parseLong(fields[7])))
        .end(Instant.ofEpochSecond(Long.parseLong(fields[8])))
        .build();
  }

  private static String seal(String body, byte[] key) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      return encoded(mac.doFinal(bytes(body)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
