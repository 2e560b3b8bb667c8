package dev.fairlead.work.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Secrets and headers as Standard Webhooks (https://www.standardwebhooks.com) defines them. */
public final class WebhookSignature {
  private static final String HMAC = "HmacSHA256";

  private WebhookSignature() {}

  /** Purpose of the key from which the bytes of a secret are derived. */
  public static String purpose(WebhookId webhook, int version) {
    return "webhook/" + webhook.bare() + "/" + version;
  }

  /** A secret in the form that its owner receives: {@code whsec_} and base64. */
  public static String text(byte[] secret) {
    return "whsec_" + Base64.getEncoder().encodeToString(secret);
  }

  /**
   * The headers {@code webhook-id}, {@code webhook-timestamp} and {@code webhook-signature}.
   *
   * @param id id of the event, the same in each attempt
   * @param secrets secrets to sign with, the current secret first, with one signature for each
   */
  public static SortedMap<String, String> headers(
      String id, Instant now, byte[] body, List<byte[]> secrets) {
    String time = Long.toString(now.getEpochSecond());
    List<String> signatures = new ArrayList<>();
    for (byte[] secret : secrets) {
      signatures.add("v1," + signature(id + "." + time + ".", body, secret));
    }
    SortedMap<String, String> headers = new TreeMap<>();
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", time);
    headers.put("webhook-signature", String.join(" ", signatures));
    return Collections.unmodifiableSortedMap(headers);
  }

  private static String signature(String head, byte[] body, byte[] secret) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(secret, HMAC));
      mac.update(head.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
