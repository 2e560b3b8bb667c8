package dev.fairlead.kernel.encryption;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The keys that encrypt data keys.
 *
 * @param encryptionKeys keys instead of the key derived from the key file, each as the path of a
 *     file, {@code base64:} with the key, or {@code key-file} The first key encrypts, all decrypt
 */
@ConfigurationProperties("fairlead")
record EncryptionSettings(@DefaultValue({}) List<String> encryptionKeys) {}
