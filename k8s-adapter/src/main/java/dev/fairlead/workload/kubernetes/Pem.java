package dev.fairlead.workload.kubernetes;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and keys as a kubeconfig carries them: PEM inside base64. */
final class Pem {
  private static final Pattern KEY =
      Pattern.compile(
          "-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END \\1-----");
  private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};

  /** AlgorithmIdentifier of rsaEncryption (RFC 8017, A.1). */
  private static final byte[] RSA = {
    0x30,
    0x0d,
    0x06,
    0x09,
    0x2a,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xf7,
    0x0d,
    0x01,
    0x01,
    0x01,
    0x05,
    0x00
  };

  /** OBJECT IDENTIFIER of ecPublicKey (RFC 5480, 2.1.1). */
  private static final byte[] EC = {
    0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01
  };

  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final int EC_PARAMETERS = 0xa0;

  private Pem() {}

  static List<X509Certificate> certificates(String base64) throws GeneralSecurityException {
    List<X509Certificate> chain = new ArrayList<>();
    for (var certificate :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(decode(base64)))) {
      chain.add((X509Certificate) certificate);
    }
    if (chain.isEmpty()) {
      throw new GeneralSecurityException("no certificate");
    }
    return chain;
  }

  /**
   * An unencrypted key: PKCS#8, or the older forms of RSA (PKCS#1) and elliptic curves (SEC 1),
   * wrapped into PKCS#8.
   */
  static PrivateKey key(String base64) throws GeneralSecurityException {
    Matcher pem = KEY.matcher(new String(decode(base64), StandardCharsets.US_ASCII));
    if (!pem.find()) {
      throw new GeneralSecurityException("no private key");
    }
    byte[] der = Base64.getMimeDecoder().decode(pem.group(2));
    return switch (pem.group(1)) {
      case "RSA PRIVATE KEY" -> generate("RSA", pkcs8(RSA, der));
      case "EC PRIVATE KEY" -> generate("EC", pkcs8(der(SEQUENCE, EC, curve(der)), der));
      default -> anyOf(der);
    };
  }

  private static PrivateKey anyOf(byte[] pkcs8) throws GeneralSecurityException {
    for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
      try {
        return generate(algorithm, pkcs8);
      } catch (GeneralSecurityException next) {
        // The encoding names its algorithm, but only the factory of that algorithm reads it.
      }
    }
    throw new GeneralSecurityException("no RSA, EC or Ed25519 key");
  }

  private static PrivateKey generate(String algorithm, byte[] pkcs8)
      throws GeneralSecurityException {
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
  }

  private static byte[] pkcs8(byte[] algorithm, byte[] key) {
    return der(SEQUENCE, VERSION_0, algorithm, der(OCTETS, key));
  }

  /** The curve's identifier: the content of {@code [0]} in ECPrivateKey (RFC 5915, 3). */
  private static byte[] curve(byte[] sec1) throws GeneralSecurityException {
    int at = header(sec1, 0);
    while (at + 1 < sec1.length) {
      int content = header(sec1, at);
      int length = length(sec1, at);
      if (content + length > sec1.length) {
        break;
      }
      if ((sec1[at] & 0xff) == EC_PARAMETERS) {
        return java.util.Arrays.copyOfRange(sec1, content, content + length);
      }
      at = content + length;
    }
    throw new GeneralSecurityException("the EC key names no curve");
  }

  /** Where the content of the element at this offset begins. */
  private static int header(byte[] der, int at) throws GeneralSecurityException {
    if (at + 1 >= der.length) {
      throw new GeneralSecurityException("truncated key");
    }
    int first = der[at + 1] & 0xff;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
  }

  private static int length(byte[] der, int at) throws GeneralSecurityException {
    int first = der[at + 1] & 0xff;
    int end = header(der, at);
    if (first > 0x82 || end > der.length) {
      throw new GeneralSecurityException("no key of this size");
    }
    int length = first < 0x80 ? first : 0;
    for (int i = at + 2; i < end; i++) {
      length = length << Byte.SIZE | der[i] & 0xff;
    }
    return length;
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    int length = content.size();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >> Byte.SIZE);
      out.write(length);
    }
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  private static byte[] decode(String base64) throws GeneralSecurityException {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new GeneralSecurityException("no base64", e);
    }
  }
}
