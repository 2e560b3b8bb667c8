package dev.fairlead.kernel.web;

import dev.fairlead.kernel.keyring.SharedKey;
import java.security.SecureRandom;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The key of page tokens: derived from the key that replicas share, otherwise random for this
 * process.
 */
@Configuration(proxyBeanMethods = false)
class PagingConfiguration {
  private static final String PURPOSE = "fairlead/page-token";
  private static final int KEY_BYTES = 32;

  @Bean
  PageTokens pageTokens(SharedKey shared) {
    return new PageTokens(shared.derived(PURPOSE).orElseGet(PagingConfiguration::random));
  }

  private static byte[] random() {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    return key;
  }
}
