/** What callers hold open in this process, bounded for each of them. */
@NullMarked
package dev.fairlead.overload.service;

import org.jspecify.annotations.NullMarked;
