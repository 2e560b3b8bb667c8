package dev.fairlead.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The key of page tokens: derived from the key file that replicas share, else made up for this
 * process.
 */
@Configuration(proxyBeanMethods = false)
class PagingConfiguration {
  private static final Logger LOG = LoggerFactory.getLogger(PagingConfiguration.class);
  private static final String PURPOSE = "fairlead/page-token";
  private static final int KEY_BYTES = 32;

  @Bean
  PageTokens pageTokens(@Value("${fairlead.key-file:}") String keyFile) {
    return new PageTokens(keyFile.isBlank() ? random() : derived(Path.of(keyFile)));
  }

  private static byte[] random() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }

  private static byte[] derived(Path file) {
    if (!Files.exists(file)) {
      LOG.info(
          "{} is not there yet: page tokens are this process's own until it starts again", file);
      return random();
    }
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(Files.readAllBytes(file), "HmacSHA256"));
      return mac.doFinal(PURPOSE.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("the key file cannot be read", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
