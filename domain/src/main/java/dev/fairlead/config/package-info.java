/** Configuration that is stored as versioned documents. */
@NullMarked
package dev.fairlead.config;

import org.jspecify.annotations.NullMarked;
