package dev.fairlead.kernel.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PemTest {
  /** Everything before the PKCS#1 key in PKCS#8 of a 2048-bit RSA key. */
  private static final int PKCS8_HEADER = 26;

  private static final byte[] SECP256R1 = {
    (byte) 0xa0, 0x0a, 0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x03, 0x01, 0x07
  };

  @Test
  void rsaKeyIsReadInBothItsForms() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    KeyPair pair = generator.generateKeyPair();
    byte[] pkcs8 = pair.getPrivate().getEncoded();
    byte[] pkcs1 = Arrays.copyOfRange(pkcs8, PKCS8_HEADER, pkcs8.length);
    assertThat(Pem.key(TestIdentity.pem("PRIVATE KEY", pkcs8))).isEqualTo(pair.getPrivate());
    assertThat(Pem.key(TestIdentity.pem("RSA PRIVATE KEY", pkcs1))).isEqualTo(pair.getPrivate());
  }

  @Test
  void ellipticCurveKeyIsReadInBothItsForms() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    ECPrivateKey key = (ECPrivateKey) generator.generateKeyPair().getPrivate();
    assertThat(((ECPrivateKey) Pem.key(TestIdentity.pem("PRIVATE KEY", key.getEncoded()))).getS())
        .isEqualTo(key.getS());
    assertThat(
            ((ECPrivateKey) Pem.key(TestIdentity.pem("EC PRIVATE KEY", sec1(key.getS())))).getS())
        .isEqualTo(key.getS());
  }

  @Test
  void anEdwardsKeyIsRead() throws GeneralSecurityException {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] pkcs8 = pair.getPrivate().getEncoded();
    assertThat(Pem.key(TestIdentity.pem("PRIVATE KEY", pkcs8))).isEqualTo(pair.getPrivate());
  }

  @Test
  void invalidKeyIsRejected() {
    for (byte[] bytes :
        new byte[][] {{}, {0x30}, {0x30, (byte) 0x82, 1}, {0x30, 0x03, 0x02, 0x01, 0x01}}) {
      assertThatThrownBy(() -> Pem.key(TestIdentity.pem("EC PRIVATE KEY", bytes)))
          .isInstanceOf(GeneralSecurityException.class);
    }
    assertThatThrownBy(() -> Pem.key("***")).isInstanceOf(GeneralSecurityException.class);
  }

  /** ECPrivateKey of RFC 5915 with its curve and without its public key. */
  private static byte[] sec1(BigInteger secret) {
    byte[] magnitude = secret.toByteArray();
    byte[] padded = new byte[32];
    int length = Math.min(magnitude.length, padded.length);
    System.arraycopy(magnitude, magnitude.length - length, padded, padded.length - length, length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20});
    out.writeBytes(padded);
    out.writeBytes(SECP256R1);
    byte[] der = out.toByteArray();
    der[1] = (byte) (der.length - 2);
    return der;
  }
}
