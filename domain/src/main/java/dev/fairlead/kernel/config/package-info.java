/** Configuration that is stored as versioned documents. */
@NullMarked
package dev.fairlead.kernel.config;

import org.jspecify.annotations.NullMarked;
