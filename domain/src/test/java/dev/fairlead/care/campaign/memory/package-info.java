/** In-memory implementations for tests. */
@NullMarked
package dev.fairlead.care.campaign.memory;

import org.jspecify.annotations.NullMarked;
