/** What running attempts say of how they get on, and what their silence means. */
@NullMarked
package dev.fairlead.progress;

import org.jspecify.annotations.NullMarked;
