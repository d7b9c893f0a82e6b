//! Build tools, test runners, compilers, formatters and tools of containers and clouds.

use super::call::Call;
use super::{Program, row};
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

pub(super) static ROWS: &[Program] = &[
    row("make|gmake|bmake|mk", "C,directory:/ f,file,makefile:r I,include-dir:r j,jobs? n,just-print,dry-run,recon o,old-file: W,what-if: k,keep-going s,silent B,always-make e,environment-overrides eval:x l,load-average? O? q t p r R d i w", "-*").does("x"),
    row("cmake|ctest|cpack|ninja|meson|scons|waf|xmake|premake5|bazel|bazelisk|buck|buck2|pants|ant|tup|gyp|gn|redo|just|task|mage|rake|invoke|fab|grunt|gulp|webpack|vite|rollup|esbuild|parcel|snowpack|turbopack|swc|babel|tsup|nodemon|concurrently|npm-run-all|wireit|pm2|forever|foreman|overmind|honcho|tilt|skaffold|earthly|dagger|act|pre-commit|husky|lefthook|lint-staged|configure|autoreconf|autoconf|automake|libtoolize|checkinstall|debuild|dpkg-buildpackage|rpmbuild|xcodebuild|xcrun|fastlane|electron-builder|wasm-pack|trunk|maturin|tauri|expo|cordova|ionic|ng|nest|next|nuxt|remix|astro|gatsby|hugo|jekyll|mkdocs|sphinx-build|storybook|cap|rails|artisan|django-admin|flask|uvicorn|gunicorn|hypercorn|celery|alembic|prisma|drizzle-kit|sequelize|knex|typeorm|flyway|liquibase|changeset|semantic-release|release-it|standard-version|goreleaser|cz|commitizen|bump2version|bumpversion", "", "-*").does("x"),
    row("pytest|py.test|tox|nox|unittest|nosetests|jest|mocha|vitest|ava|tap|cypress|playwright|karma|jasmine|wdio|rspec|minitest|cucumber|behave|robot|phpunit|pest|codecept|bats|shellspec|busted|ginkgo|gotestsum|cargo-nextest|cargo-watch|hyperfine|k6|locust|artillery|lcov|gcov|gcovr|coverage|codecov|nyc|c8|stryker|mutmut|valgrind|perf|gdb|lldb|rr|strace-log|dtrace|bpftrace|heaptrack|rust-gdb|delve|dlv|pdb|ipdb", "", "-*").does("x"),
    row("gcc|g++|cc|c++|clang|clang++|tcc|icc|ld|lld|gold|as|nasm|yasm|gfortran|gnat|nvcc|emcc|zig-cc|mold", "o:w I:R L:R l: D: U: x: std: include:r isystem:R MF:w MT: MD MMD B:x specs:x wrapper:x T:r e: u: z: c S E g O W f m", "r*").does("wd:a.out").more(compiles),
    row("cpp", "o:w I:R D: U: x: std: include:r isystem:R MF:w MT: MD MMD B:x specs:x wrapper:x P E O W f m", "r w").more(compiles),
    row("rustc|ghc|javac|scalac|kotlinc|swiftc|ocamlc|ocamlopt|dmd|ldc2|fpc|nim|crystal|v|odin|valac|vala|gdc|gnatmake|elixirc|erlc|dotnet-csc|csc|fsc|mcs|solc|protoc|flatc|thrift|buf|grpc_tools|bison|yacc|flex|lex|m4|antlr4|swig|cython|moc|uic|rcc|glslc|spirv-as|dtc|iasl|tsc|tsgo|sass|lessc|postcss|stylus|pug|handlebars|pandoc|latex|pdflatex|xelatex|lualatex|tex|latexmk|bibtex|typst|groff|asciidoctor|asciidoc|dot|plantuml|mmdc|rst2html|ffmpeg|ffprobe|convert|magick|mogrify|inkscape|rsvg-convert|gs|pdftk|qpdf|wkhtmltopdf|libreoffice|soffice|sox|exiftool|optipng|pngquant|jpegoptim|cwebp", "o,output,out,out-dir,outfile,outDir:w d:W", "r*").does("x"),
    row("eslint|prettier|biome|oxlint|standard|xo|tslint|stylelint|ruff|autopep8|yapf|autoflake|flake8|pylint|mypy|pyright|basedpyright|pyre|bandit|rubocop|standardrb|gofmt|goimports|gofumpt|golangci-lint|staticcheck|golint|revive|clang-format|clang-tidy|cppcheck|cpplint|uncrustify|astyle|ktlint|detekt|checkstyle|google-java-format|swiftlint|swiftformat|php-cs-fixer|phpstan|psalm|phpcs|phpcbf|hadolint|yamllint|markdownlint|markdownlint-cli2|mdl|vale|write-good|codespell|cspell|typos|actionlint|ansible-lint|tflint|tfsec|checkov|trivy|grype|syft|snyk|gitleaks|trufflehog|detect-secrets|shellharden|beautysh|terraform-fmt|dprint|sqlfmt|luacheck|selene|credo|dialyzer|buildifier|djlint|knip|depcheck|madge|ncu|npm-check-updates|cloc|tokei|scc", "fix!W fix-only!W write!W w!W i!W in-place!W a,auto-correct,autocorrect!W A!W o,output-file,output:w inplace!W format!W c,config:r check diff l,list-different ignore-path:r", "R*").does("x"),
    row("black|isort|rustfmt|stylua|nixfmt|alejandra", "check!0 diff!0 l,line-length: t,target-version: config:r edition: c:r emit: profile:", "W*").does("x"),
    row("shellcheck|bashate|checkbashisms", "s,shell: e,exclude: f,format: S,severity: x,external-sources P,source-path: a C? i,include: o,enable: W: rcfile:r", "r*"),
    row("docker|podman|nerdctl|finch", "+ H,host:n c,context: config:R l,log-level: D tls tlscacert:r tlscert:r tlskey:r", "v"),
    row("docker run|exec|create|compose|build|buildx|builder|swarm|service|stack|start|restart|commit|cp|export|import|save|load|pull|update|rename|plugin|init|debug|sandbox|machine|pod|play|kube|generate|unshare|system|container|volume|network|context|trust|manifest|scout|model|mcp|desktop|attach|wait|secret|config|node|tag|checkpoint|bake|mount|farm|quadlet", "+ v,volume:W mount: w,workdir: e,env: env-file:r o,output:w t,tag: f,file:r u,user: name: p,publish: network: rm i d it entrypoint: privileged build-arg: iidfile:w cidfile:w secret: ssh: l: h: platform: pull: target: cache-from: cache-to: a: c: m: P", "-*").does("x n").more(docker),
    row("docker push", "a,all-tags q,quiet", "P*").does("n"),
    row("docker login|logout", "u,username: p,password: password-stdin", "-*").does("n").more(sets),
    row("docker rm|rmi|kill|stop|pause|unpause|prune", "f,force s,signal: t,time: v,volumes l a,all filter:", "g*"),
    row("docker ps|images|logs|inspect|version|info|top|stats|port|diff|history|events|search|ls|help|wait-for", "a,all f,format,filter: n,tail: since: until: q no-trunc t", "-*"),
    row("buildah|skopeo|crane|oras|cosign|ko|kaniko|img|buildctl|lxc|lxd|incus|multipass|vagrant|packer|virsh|qemu-system-x86_64|limactl|colima|minikube|kind|k3d|k3s|podman-compose|docker-compose|devcontainer|distrobox|toolbox|systemd-nspawn|machinectl|runc|crun|ctr|crictl|firecracker|wsl|apptainer|singularity|ddev|lando", "", "-*").does("x n"),
    row("kubectl|oc|k", "n,namespace: kubeconfig:r context: cluster: user: s,server:n token: as: f,filename:R k,kustomize:R o,output: l,selector: A,all-namespaces v: dry-run? recursive,R", "v"),
    row("kubectl apply|create|replace|edit|patch|scale|autoscale|rollout|set|label|annotate|expose|run|exec|cp|attach|debug|drain|cordon|uncordon|taint|certificate|port-forward|proxy|delete|adm|new-app|start-build|process|plugin", "force grace-period: c,container: i,stdin t,tty p,patch: image: replicas: all prune", "-*").does("x n"),
    row("kubectl get|describe|logs|top|explain|api-resources|api-versions|version|cluster-info|diff|auth|wait|events|options|help|whoami|status|projects", "f,follow c: tail: since: w,watch", "-*").does("n"),
    row("kubectl config", "", "-*").more(sets),
    row("helm|helm3", "n,namespace: kubeconfig:r kube-context: f,values:r set: version: repo:n registry-config:r", "v"),
    row("helm install|upgrade|uninstall|rollback|test|plugin|repo|dependency|dep|pull|fetch|registry|del|delete", "post-renderer:x atomic wait d,destination:W create-namespace i,install dry-run?", "-*").does("x n"),
    row("helm push", "", "P*").does("n"),
    row("helm template|lint|show|list|ls|status|get|history|search|version|env|help|verify|inspect", "output-dir:W post-renderer:x o:", "R*"),
    row("terraform|tofu|terragrunt", "- chdir:/", "v"),
    row("terraform apply|destroy|import|init|taint|untaint|state|refresh|workspace|force-unlock|login|logout|get|providers|run-all|console|test|push|stacks", "- auto-approve var: var-file:r state:w state-out:w backup:w target: replace: lock: input: upgrade reconfigure backend-config: plugin-dir:R from-module:n out:w", "-*").does("x n"),
    row("terraform plan|validate|show|output|graph|version|fmt|help|metadata|modules", "- out:w var: var-file:r state:r target: json no-color raw detailed-exitcode write check diff recursive generate-config-out:w", "-*").does("x"),
    row("pulumi|cdk|cdktf|sam|serverless|sls|amplify|eksctl|kops|ansible|ansible-playbook|ansible-vault|puppet|chef|salt|salt-call|cfn|nomad|consul|vault|waypoint|boundary|argocd|flux|istioctl|linkerd|velero|rclone|restic|borg|duplicity|flyctl|fly|heroku|vercel|netlify|wrangler|railway|render|supabase|firebase|surge|gh-pages|doctl|linode-cli|hcloud|vultr|ibmcloud|oci|aliyun|scw|cf|now|eb|ngrok|cloudflared|tailscale|stripe|twilio|sentry-cli|datadog-ci|circleci|travis|jenkins-cli|drone|buildkite-agent|ossutil|b2|mc|s3cmd|s5cmd|gsutil|azcopy", "", "-*").does("x n"),
    row("aws|gcloud|az|bq", "+ profile: region: endpoint-url:n output: query: project: account: configuration: subscription: no-cli-pager", "v"),
    row("aws s3", "+ recursive", "v"),
    row("aws storage", "+", "v"),
    row("aws s3 cp|sync|mv|rm|mb|rb", "recursive delete exclude: include: dryrun!0 acl: sse? storage-class: quiet", "N* M").does("n:s3.amazonaws.com"),
    row("aws storage cp|rsync|mv|rm|ls|cat", "r R recursive delete-unmatched-destination-objects", "N* M").does("n:storage.googleapis.com"),
    row("aws sts|s3api|ec2|iam|lambda|logs|cloudformation|ecr|ecs|eks|rds|dynamodb|sqs|sns|ssm|secretsmanager|kms|compute|container|functions|run|services|projects|auth|vm|group|webapp|aks|acr|account|login|query|rest|version|help", "", "-*").does("n"),
    row("aws configure|config|init", "", "-*").more(sets),
    row("gh|glab|tea|hut|az-repos", "+ R,repo: hostname:n", "v"),
    row("gh pr|issue|repo|release|gist|run|workflow|secret|variable|label|project|ruleset|cache|codespace|cs|mr|ci|ssh-key|gpg-key|org|attestation|skill|agent-task|discussion", "+", "").more(forge),
    row("gh auth|config|alias", "", "-*").more(sets),
    row("gh api", "X,method: f,raw-field: F,field: H,header: input:r q,jq: t,template: p,preview: cache: hostname:n paginate i silent", "-*").does("n:api.github.com").more(api),
    row("gh status|search|browse|version|help|completion", "w,web json: q: t: L: R:", "-*").does("n:api.github.com"),
    row("gh extension|ext|extensions|copilot|models|preview", "", "-*").does("x n:api.github.com"),
];

/// Where it fails, it removes what it was to write.
pub(super) fn removes_output(call: &mut Call<'_>) {
    let outputs: Vec<Word> = call.reading.values("o").cloned().collect();
    for output in &outputs {
        call.act_path(Kind::Delete, output, Certainty::Likely, false);
    }
}

/// Options of compilers and of linkers that name one more file to write.
const ALSO_WRITES: &[&str] = &[
    "-Map",
    "-dependency-file",
    "-out-implib",
    "-output-def",
    "-base_file",
    "-Xlinker",
    "-Xassembler",
    "-aux-info",
    "-fopt-info-",
    "-fdump-",
    "-dumpdir",
    "-dumpbase",
    "-ftime-trace",
    "-Wa,-",
    "-Wl,-o",
    "-Wl,--output",
];

/// A compiler, which may load a part of itself, or start another program.
fn compiles(call: &mut Call<'_>) {
    removes_output(call);
    let loading = [
        "-fplugin",
        "-fpass-plugin",
        "-specs",
        "--specs",
        "-wrapper",
        "-load",
        "-B",
    ];
    let mut words = call.command.words.iter();
    call.opaque |= words.any(|word| loading.iter().any(|own| word.head().starts_with(own)));
    let heads: Vec<&str> = call.command.words.iter().map(Word::head).collect();
    // A file with more options, of which one may name the output.
    let has_more = heads.iter().any(|head| head.starts_with('@'));
    let names = |head: &&str| {
        head.starts_with('-') && ALSO_WRITES.iter().any(|option| head.contains(option))
    };
    if has_more || heads.iter().any(names) {
        call.opaque |= has_more;
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
}

/// A container that has the folders of this machine, or the socket of its own engine, can do anything with them.
fn docker(call: &mut Call<'_>) {
    let mounts: Vec<Word> = call.reading.values("v").cloned().collect();
    for mount in mounts {
        match mount.known() {
            Some(text) => {
                let source = text.split(':').next().unwrap_or_default();
                if source.starts_with(['/', '.', '~']) {
                    call.act_path(Kind::Write, &Word::text(source), Certainty::Likely, true);
                }
            }
            None => call.act_path(Kind::Write, &Word::unknown(), Certainty::Unknown, true),
        }
    }
    // The folders with a colon in their names, which the row's letter gave.
    call.acts.effects.retain(|effect| !matches!(&effect.object, Object::Tree(path) if path.to_string_lossy().contains(':')));
    if call.name.ends_with(" cp") {
        for word in call.words() {
            if !word.known().is_some_and(|text| text.contains(':')) {
                call.act_path(Kind::Write, &word, Certainty::Likely, true);
            }
        }
    }
}

/// `gh repo clone REPOSITORY [FOLDER] [-- OPTIONS OF GIT]`.
fn clones(call: &mut Call<'_>, words: &[Word]) {
    let is_end = |word: &&Word| word.known().as_deref() == Some("--");
    let own: Vec<&Word> = words.iter().take_while(|word| !is_end(word)).collect();
    let is_operand = |word: &&Word| {
        let first = word.head().chars().next();
        first.is_some_and(|letter| letter.is_ascii_alphanumeric() || "./_".contains(letter))
    };
    match &*own {
        [_, source, rest @ ..] if own.iter().all(is_operand) => {
            super::git_remote::makes_clone(call, Some(source), rest.first().copied());
        }
        // The folder may be any of the words behind an option.
        _ => call.act_path(Kind::Write, &Word::unknown(), Certainty::Unknown, true),
    }
    // It runs git, with the words behind `--`.
    call.opaque = true;
}

/// Verbs of `gh` whose operands are files, and how many words stand before them.
const UPLOADING: &[(&str, &str, usize)] = &[
    ("gist", "create", 1),
    ("release", "create", 2),
    ("release", "upload", 2),
    ("ssh-key", "add", 1),
    ("gpg-key", "add", 1),
];

/// Options of `gh` whose values are files.
const OF_FILES: &[&str] = &["-F", "--body-file", "--notes-file", "--env-file", "--add"];

/// Notes the files that are sent to the forge.
fn uploads(call: &mut Call<'_>, kind: &str, words: &[Word]) {
    let verb = words.first().and_then(Word::known).unwrap_or_default();
    let row = UPLOADING
        .iter()
        .find(|(of, name, _)| *of == kind && *name == verb);
    let mut skip = row.map_or(usize::MAX, |(_, _, before)| *before);
    let mut takes = false;
    for word in words {
        let text = word.known().unwrap_or_default().into_owned();
        let is_env = text == "-f" && matches!(kind, "secret" | "variable");
        let (name, value) = text.split_once('=').unwrap_or((&text, ""));
        if takes {
            call.act_path(Kind::Read, word, Certainty::Exact, false);
        } else if !value.is_empty() && OF_FILES.contains(&name) {
            call.act_path(Kind::Read, &Word::text(value), Certainty::Exact, false);
        } else if skip == 0 && !text.starts_with('-') {
            call.act_path(Kind::Read, word, Certainty::Likely, false);
        }
        takes = !takes && (OF_FILES.contains(&&*text) || is_env);
        if !text.starts_with('-') {
            skip = skip.saturating_sub(1);
        }
    }
}

/// `gh run download`, `gh release download`: into a folder, or to one file.
fn downloads(call: &mut Call<'_>, words: &[Word]) {
    let to = |names: &[&str]| {
        let mut pairs = words.windows(2);
        pairs.find_map(|pair| match pair {
            [option, to] if names.contains(&&*option.known()?) => Some(to.clone()),
            _ => None,
        })
    };
    if let Some(file) = to(&["-O", "--output"]) {
        call.act_path(Kind::Write, &file, Certainty::Exact, false);
    } else {
        let folder = to(&["-D", "--dir"]).unwrap_or_else(|| Word::text("."));
        call.act_path(Kind::Write, &folder, Certainty::Likely, true);
    }
}

/// Verbs of forges that only look.
fn forge(call: &mut Call<'_>) {
    call.connect(&Word::text("https://api.github.com"), Certainty::Likely);
    let words = call.words();
    let kind = call.name.split(' ').nth(1).unwrap_or_default().to_owned();
    uploads(call, &kind, &words);
    let verb = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    match (&*kind, verb.as_deref()) {
        (
            _,
            Some(
                "list" | "ls" | "view" | "status" | "diff" | "checks" | "watch" | "show" | "verify"
                | "get" | "check",
            )
            | None,
        ) if !words.is_empty() || verb.is_none() => {
            if verb.is_none() && !words.is_empty() {
                call.anything();
            }
        }
        ("run" | "release", Some("download")) => downloads(call, &words),
        ("release", Some(_)) => call.named(Kind::Publish, words.get(1), Certainty::Exact),
        ("pr" | "mr", Some("merge")) => call.effect(
            Kind::Push,
            Object::Push(crate::effect::Push::default()),
            Certainty::Likely,
        ),
        ("repo" | "gist", Some("clone")) => clones(call, &words),
        ("pr" | "mr", Some("checkout")) | ("repo", Some("sync" | "fork")) => {
            // It runs git.
            let own = std::mem::replace(&mut call.name, format!("git {kind} checkout"));
            super::git::writes_tree(call, Certainty::Likely);
            call.name = own;
            call.opaque = true;
        }
        ("codespace" | "cs", _) => call.opaque = true,
        ("repo" | "pr" | "issue" | "gist" | "secret" | "variable" | "ruleset" | _, Some(_)) => call
            .effect(
                Kind::Config,
                Object::Name(format!("github {kind}")),
                Certainty::Likely,
            ),
        (_, None) => {}
    }
}

/// What people say to each other at a forge, in the path of a request.
const TALK: &[&str] = &[
    "comments",
    "issues",
    "labels",
    "milestones",
    "pulls",
    "reactions",
    "reviews",
    "requested_reviewers",
];

/// Tells whether a request is about what people say. A merge of a pull request is not.
fn talks(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let last = names.last().copied().unwrap_or_default();
    let is_plain = |name: &&str| !name.contains(['.', '%', ':']);
    let is_about = |rest: &[&str]| rest.first().is_some_and(|name| TALK.contains(name));
    matches!(&*names, ["repos", _, _, rest @ ..] if is_about(rest) && rest.iter().all(is_plain))
        && !matches!(last, "merge" | "update-branch")
}

/// Tells whether every field of a request to GraphQL is known, and none holds a mutation.
fn asks_only(call: &Call<'_>) -> bool {
    let fields: Vec<&Word> = ["f", "F"]
        .iter()
        .flat_map(|name| call.reading.values(name))
        .collect();
    let asks = |word: &&Word| {
        let text = word.known();
        let query = text.as_deref().and_then(|text| text.strip_prefix("query="));
        match query {
            Some(query) => !query.contains("mutation") && !query.starts_with('@'),
            None => word
                .head()
                .split_once('=')
                .is_some_and(|(name, _)| name != "query"),
        }
    };
    !call.may("input") && !fields.is_empty() && fields.iter().all(asks)
}

/// A request with fields or a method other than GET changes something there.
fn api(call: &mut Call<'_>) {
    let methods: Vec<Word> = call.reading.values("X").cloned().collect();
    let writes = ["f", "F", "input"].iter().any(|name| call.may(name));
    let gets = methods.last().is_some_and(|word| {
        word.known()
            .is_some_and(|text| text.eq_ignore_ascii_case("get"))
    });
    let path = call.words().first().cloned().unwrap_or_default();
    let path = path.known();
    if path.as_deref() == Some("graphql") && asks_only(call) || gets {
        return;
    }
    if writes || !methods.is_empty() {
        call.effect(
            Kind::Config,
            Object::Name("github api".to_owned()),
            Certainty::Likely,
        );
        // All others may change commits or branches, or remove the repository.
        let deletes = |word: &Word| {
            word.known()
                .is_none_or(|text| text.eq_ignore_ascii_case("delete"))
        };
        let only_talks = !methods.iter().any(deletes) && path.is_some_and(|path| talks(&path));
        if !only_talks {
            call.effect(Kind::Push, Object::Unknown, Certainty::Unknown);
        }
    }
}

/// A setting, by its key or the verb; `config get` and `auth status` change nothing.
pub(super) fn sets(call: &mut Call<'_>) {
    let words = call.words();
    let verb = call.reading.text(0).unwrap_or_default();
    let own = call.name.split(' ').next_back().unwrap_or_default();
    let reads = [
        "get",
        "list",
        "ls",
        "status",
        "token",
        "get-value",
        "view",
        "current-context",
        "get-contexts",
        "debug",
        "dir",
        "info",
        "path",
        "show",
        "describe",
        "env",
    ];
    if reads.contains(&&*verb)
        || (words.is_empty()
            && matches!(
                own,
                "config" | "c" | "alias" | "cache" | "profile" | "source"
            ))
    {
        return;
    }
    match words.get(1).or_else(|| words.first()) {
        Some(word) => call.named(Kind::Config, Some(&word.clone()), Certainty::Exact),
        None => call.effect(
            Kind::Config,
            Object::Name(call.name.clone()),
            Certainty::Exact,
        ),
    }
}
