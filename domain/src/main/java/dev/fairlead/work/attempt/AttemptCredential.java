package dev.fairlead.work.attempt;

import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.tenant.TenantId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Credential by which an attempt proves its identity: the ids of its tenant, its job and itself,
 * sealed by HMAC-SHA256. It is not stored. Each use checks that the attempt is live, so the
 * credential is worthless afterwards.
 */
public record AttemptCredential(TenantId tenant, JobId job, AttemptId attempt) {
  /** Prefix of each credential, different from the prefix of API tokens. */
  public static final String PREFIX = "fla_";

  /** Purpose of the derived key. */
  public static final String PURPOSE = "fairlead/attempt-credential";

  private static final String MAC = "HmacSHA256";
  private static final String ID = "([0-9a-z]{26})";
  private static final Pattern FORM =
      Pattern.compile(PREFIX + "(" + ID + ID + ID + ")([A-Za-z0-9_-]{43})");

  /** The credential in the form that the attempt sends. */
  public Secret text(byte[] key) {
    String ids = tenant.bare() + job.bare() + attempt.bare();
    return new Secret(PREFIX + ids + seal(ids, key));
  }

  /** The owner of this credential, empty for any text that was not created with the key. */
  public static Optional<AttemptCredential> read(String text, byte[] key) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches() || !same(seal(parts.group(1), key), parts.group(5))) {
      return Optional.empty();
    }
    return Optional.of(
        new AttemptCredential(
            new TenantId(id(parts.group(2))),
            new JobId(id(parts.group(3))),
            new AttemptId(id(parts.group(4)))));
  }

  /** Compares in constant time. */
  private static boolean same(String made, String sent) {
    return MessageDigest.isEqual(bytes(made), bytes(sent));
  }

  /** Parses an id of the sealed content. */
  private static UUID id(String bare) {
    return IdText.decode(bare).orElseThrow();
  }

  private static String seal(String ids, byte[] key) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(bytes(ids)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
