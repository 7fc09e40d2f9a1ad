# `make serve` and `make test` need nothing but Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := domain storage resolvers schema evaluation interop server client/pinset
ROOMS := $(SOURCES) bench examples tests
# Two processes, each with a MongoDB of its own.
PARALLEL ?= -n 2 --dist worksteal

GRAPHIQL := server/static/graphiql

.PHONY: graphiql install serve test test-all check format schema clean

install: $(STAMP)

$(STAMP): pyproject.toml client/pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Pinset needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ./client -e '.[local,test]'
# As pip does for what it copies: otherwise the first start compiles, and each one under PYTHONDONTWRITEBYTECODE.
	@$(BIN)/python -m compileall -q $(SOURCES)
	@touch $@

serve: install
	@exec $(BIN)/pinset serve $(ARGS)

test: install
	$(BIN)/python -m pytest -m "not slow" $(PARALLEL) $(ARGS)

test-all: install
	$(BIN)/python -m pytest --hypothesis-profile=default $(PARALLEL) $(ARGS)

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(ROOMS)
	$(BIN)/python -m schema.export --check
	$(BIN)/python -m schema.changes
	$(BIN)/python -m pytest -q tests/test_house.py
	$(BIN)/python .ci/advisories.py

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: install
	$(BIN)/python -m schema.export

# Fetches the published builds of GraphiQL and React again; their versions are in $(GRAPHIQL)/README.md.
graphiql:
	rm -rf build/graphiql && mkdir -p build/graphiql
	npm install --prefix build/graphiql --no-save --silent graphiql@4.1.2 react@18.3.1 react-dom@18.3.1 graphql@16
	cp build/graphiql/node_modules/graphiql/graphiql.min.js build/graphiql/node_modules/graphiql/graphiql.min.css $(GRAPHIQL)/
	cp build/graphiql/node_modules/graphiql/LICENSE $(GRAPHIQL)/
	cp build/graphiql/node_modules/react/umd/react.production.min.js $(GRAPHIQL)/
	cp build/graphiql/node_modules/react-dom/umd/react-dom.production.min.js $(GRAPHIQL)/
	sed -i '/^\/\/# sourceMappingURL/d' $(GRAPHIQL)/*.min.js

clean:
	rm -rf $(VENV) .pinset build *.egg-info client/*.egg-info client/build .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
