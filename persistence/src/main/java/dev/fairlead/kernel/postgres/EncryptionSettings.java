package dev.fairlead.kernel.postgres;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which keys encrypt data keys.
 *
 * @param encryptionKeys in place of the one that follows from the key file: each the path of a
 *     file, {@code base64:} and the key, or {@code key-file}. The first one encrypts, all decrypt
 */
@ConfigurationProperties("fairlead")
record EncryptionSettings(@DefaultValue({}) List<String> encryptionKeys) {}
