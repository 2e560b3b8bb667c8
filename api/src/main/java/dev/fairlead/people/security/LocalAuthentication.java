package dev.fairlead.people.security;

import dev.fairlead.kernel.identity.Sha256;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The listening address of the service, and the accepted credentials.
 *
 * @param bind address or host name that the server listens on
 * @param loopback whether only this machine reaches that address
 * @param token bootstrap token, empty if none
 * @param signIn whether the tokens of an issuer are accepted
 */
record LocalAuthentication(String bind, boolean loopback, String token, boolean signIn) {
  private static final int LEAST_TOKEN = 16;

  /**
   * @throws UnsafeEntrance if any host on the network could connect, or the token can be guessed
   */
  LocalAuthentication {
    if (!token.isEmpty() && token.length() < LEAST_TOKEN) {
      throw new UnsafeEntrance(
          "FAIRLEAD_BOOTSTRAP_TOKEN has "
              + token.length()
              + " characters; at least "
              + LEAST_TOKEN
              + " are needed",
          "Set a longer one, for example the output of: openssl rand -hex 32");
    }
    if (token.isEmpty() && !signIn && !loopback) {
      throw new UnsafeEntrance(
          "Fairlead is to listen on "
              + bind
              + ", which is reachable from other machines without authentication",
          "Set FAIRLEAD_BOOTSTRAP_TOKEN (callers then send Authorization: Bearer <token>) or"
              + " FAIRLEAD_OIDC_ISSUER (callers then sign in there), or leave FAIRLEAD_BIND at"
              + " 127.0.0.1");
    }
  }

  /**
   * @throws UnsafeEntrance if any host on the network could connect, or the token can be guessed
   */
  static LocalAuthentication of(String bind, String token, boolean signIn) {
    return new LocalAuthentication(bind, loopback(bind), token, signIn);
  }

  /**
   * Returns whether a caller without a token is the local administrator. Never together with
   * sign-in: a proxy on this machine would turn each forwarded caller into an administrator.
   */
  boolean open() {
    return token.isEmpty() && loopback && !signIn;
  }

  /**
   * Returns whether the given token is the bootstrap token. Takes the same time for any wrong
   * token.
   */
  boolean accepts(String given) {
    return !token.isEmpty() && MessageDigest.isEqual(hash(token), hash(given));
  }

  /** Changes with the way in which an administrator without an account enters. */
  String proof() {
    return open() ? "open" : token.isEmpty() ? "none" : Sha256.hex("proof of " + token);
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean loopback(String bind) {
    try {
      InetAddress[] all = InetAddress.getAllByName(bind);
      for (InetAddress address : all) {
        if (!address.isLoopbackAddress()) {
          return false;
        }
      }
      return all.length > 0 && !bind.isBlank();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return "LocalAuthentication["
        + bind
        + (token.isEmpty() ? "" : ", token ***")
        + (signIn ? ", sign-in" : "")
        + "]";
  }
}
