/** The OpenAPI document: what it says beside what the controllers say themselves. */
@NullMarked
package dev.fairlead.kernel.openapi;

import org.jspecify.annotations.NullMarked;
