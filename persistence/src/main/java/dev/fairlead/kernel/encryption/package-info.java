/** Encryption of stored secrets by keys of the installation. */
@NullMarked
package dev.fairlead.kernel.encryption;

import org.jspecify.annotations.NullMarked;
