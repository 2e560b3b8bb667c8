/** Values that are written and never read back by people. */
@NullMarked
package dev.fairlead.kernel.keyring;

import org.jspecify.annotations.NullMarked;
