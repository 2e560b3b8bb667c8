/** REST endpoints of front clusters. */
@NullMarked
package dev.fairlead.front.web;

import org.jspecify.annotations.NullMarked;
