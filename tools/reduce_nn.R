# What R's class::reduce.nn keeps of the problems that tools/reduce_nn.py wrote.
# Run from the root of the repository: Rscript tools/reduce_nn.R (Debian: r-cran-class).
#
# reduce.nn goes through the store in the order of sample(): here sample() leaves the order alone, so that it is the
# order of storing, as in Gates's rule.

library(class)
identity_sample <- function(x, ...) x
environment(reduce.nn) <- list2env(list(sample = identity_sample), parent = environment(class::reduce.nn))

folder <- "tests/prototypes/fixtures"
problems <- read.csv(file.path(folder, "reduce_nn_problems.csv"))
kept <- data.frame()
for (problem in unique(problems$problem)) {
    rows <- problems[problems$problem == problem, ]
    train <- as.matrix(rows[, grep("^x", names(rows))])
    store <- order(rows$stored)[rows$stored[order(rows$stored)] > 0]
    left <- reduce.nn(train, store, factor(rows$label))
    kept <- rbind(kept, data.frame(problem = problem, row = sort(left) - 1))
}
write.csv(kept, file.path(folder, "reduce_nn_kept.csv"), row.names = FALSE, quote = FALSE)
cat(R.version.string, "class", as.character(packageVersion("class")), "\n")
